//! The exit codes of all commands, as the help of the program lists them.

/// What the help of each command says of them.
pub(crate) const SEE_EXIT_CODES: &str = "Exit codes: `inbounds --help`.";

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  done
  2  the plan or the arguments are wrong; every mistake is shown with its place
  3  the data or the bundle cannot be read, or does not match plan or manifest
  4  the bundle cannot be written, or its name is taken
  5  the operating system gave no randomness
  6  done, but the result could not be printed; the bundle is complete
  7  no numbers satisfy the constraints; a smallest set in conflict is shown
  8  a study found numbers that contradict its verdict
  9  the ledger refuses, or cannot be used
 10  an audit found a promise of privacy that is not kept
101  a fault of the program itself; what it stumbled over is not shown
With 2 to 5, 7 and 9, nothing was published and no budget was spent, unless the message says so.";
