//! Enumerations whose variants have a stable kebab-case key.

/// Declares an enumeration with `ALL`, the list of its variants, and `name`, the key of each. With a second text
/// for each variant come `clause`, the place in a specification, and `about`, what the variant stands for.
macro_rules! keyed_enum {
    ($(#[doc = $about:literal])+ $name:ident {
        $($(#[doc = $doc:literal])+ $variant:ident = $key:literal, $clause:literal;)+
    }) => {
        keyed_enum! { $(#[doc = $about])+ $name { $($(#[doc = $doc])+ $variant = $key;)+ } }

        impl $name {
            /// The clause that decides.
            pub fn clause(self) -> &'static str {
                match self { $($name::$variant => $clause,)+ }
            }

            /// What it stands for, in a sentence.
            pub fn about(self) -> &'static str {
                match self { $($name::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }
        }
    };
    ($(#[doc = $about:literal])+ $name:ident {
        $($(#[doc = $doc:literal])+ $variant:ident = $key:literal;)+
    }) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
        pub enum $name { $($(#[doc = $doc])+ $variant,)+ }

        impl $name {
            /// Every variant, in the order of declaration.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The key.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $key,)+ }
            }
        }
    };
}
