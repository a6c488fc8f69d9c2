//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod arviz;
mod calibration;
mod detailed_balance;
mod promises;
mod worlds;
