module delve-reader

go 1.19

require github.com/go-delve/delve v1.24.2
