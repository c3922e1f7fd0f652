//! Augmentation data, and what the letters of an augmentation mean (LSB Core, exception frames).

use cfidiff_model::{Address, Cie, Pointer};

use crate::pointer::{ALIGNED, INDIRECT, OMIT};
use crate::{CieSpec, FdeSpec, Places, Referent, Unwritable, Writer};

/// Writes a CIE's augmentation data, letter by letter.
pub(crate) fn cie_data(spec: &CieSpec, places: &Places, to: &mut Writer) -> Result<(), Unwritable> {
    for letter in &spec.augmentation {
        match letter {
            b'R' => to.u8(spec.fde_encoding),
            b'L' => to.u8(spec.lsda_encoding),
            b'P' => {
                let (encoding, routine) = spec.personality;
                to.u8(encoding);
                write_nullable(
                    routine.map(|target| (target, Referent::Personality(target))),
                    encoding,
                    places,
                    to,
                )?;
            }
            _ => {}
        }
    }
    to.bytes(&spec.extra_augmentation_data);
    Ok(())
}

/// Writes an FDE's augmentation data.
pub(crate) fn fde_data(
    spec: &FdeSpec,
    cie: &CieSpec,
    places: &Places,
    to: &mut Writer,
) -> Result<(), Unwritable> {
    if cie.has_lsda() {
        let lsda = spec.lsda.map(|target| (target, Referent::Lsda(target)));
        write_nullable(lsda, cie.lsda_encoding, places, to)?;
    }
    to.bytes(&spec.extra_augmentation_data);
    Ok(())
}

/// Writes a pointer that may be null: a null one is zero in the encoding's format, whatever it would count from, and
/// at its aligned place for DW_EH_PE_aligned.
fn write_nullable(
    target: Option<(Address, Referent)>,
    encoding: u8,
    places: &Places,
    to: &mut Writer,
) -> Result<(), Unwritable> {
    let start = to.len();
    match target {
        Some((target, referent)) => places.write_reference(to, encoding, target, referent)?,
        None if encoding == ALIGNED => return places.write_pointer(to, encoding, Address(0)),
        None => return places.write_size(to, encoding, 0),
    }
    // A pointer to its own base is written as zero, and zero is null.
    match encoding != OMIT && to.since(start).iter().all(|&byte| byte == 0) {
        true => Err(Unwritable::Null),
        false => Ok(()),
    }
}

/// The fields of a CIE whose augmentation data is `data`.
pub(crate) fn cie_meaning(spec: &CieSpec, places: &Places, data: Vec<u8>) -> Cie {
    let z = spec.has_augmentation_data();
    let has = |letter: u8| spec.augmentation.contains(&letter);
    Cie {
        version: spec.version,
        augmentation: spec.augmentation.as_slice().into(),
        address_size: places.address_size,
        segment_selector_size: if spec.version >= 4 { spec.segment_selector_size } else { 0 },
        code_alignment_factor: spec.code_alignment_factor,
        data_alignment_factor: spec.data_alignment_factor,
        return_address_register: spec.return_address_register,
        augmentation_data: data.into(),
        fde_encoding: (z && has(b'R')).then_some(spec.fde_encoding),
        lsda_encoding: (z && has(b'L')).then_some(spec.lsda_encoding),
        personality: (z && has(b'P'))
            .then(|| (spec.personality.0, pointer(spec.personality.1, spec.personality.0, places))),
        signal_frame: has(b'S'),
        b_key: z && has(b'B'),
        mte_tagged: z && has(b'G'),
    }
}

/// A pointer as a reader has to give it.
pub(crate) fn pointer(target: Option<Address>, encoding: u8, places: &Places) -> Option<Pointer> {
    let address = Address(places.wrap(target?.0));
    (encoding != OMIT).then_some(Pointer { address, indirect: encoding & INDIRECT != 0 })
}
