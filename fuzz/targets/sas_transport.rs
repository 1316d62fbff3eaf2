#![no_main]
libfuzzer_sys::fuzz_target!(init: inbounds_fuzz::begin(), |bytes: &[u8]| inbounds_fuzz::sas_transport(bytes));
