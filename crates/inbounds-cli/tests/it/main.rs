//! The program as a user meets it: files in, files and words out.
