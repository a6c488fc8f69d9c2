//! Rigid-body state, torque-free rotation, collision impulses.
