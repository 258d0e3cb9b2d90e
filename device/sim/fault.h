// Signals that a kernel's own code raises: division by zero, a stack that overflows, an access that cannot be made.
#ifndef DEVICE_SIM_FAULT_H
#define DEVICE_SIM_FAULT_H

// Between catch and release such a signal stops the lane that runs and hands over to the scheduler, which finds it in
// sim_turn. Raised anywhere else, it does what it did before.
void sim_faults_catch(void);
void sim_faults_release(void);

#endif
