//! All integration tests in one program: linking one for each file takes longer
//! than running them.

mod calibration;
mod densities;
mod fits;
mod known_answers;
mod sampling;
