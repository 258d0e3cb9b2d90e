// Catches the signals that a kernel's code raises: division by zero, stack overflow, an invalid access.
#ifndef SIM_FAULT_H
#define SIM_FAULT_H

// Between these two calls such a signal stops the running lane and switches to the scheduler, which finds the signal in
// sim_turn. A signal that is raised outside a lane has its usual effect.
void sim_faults_catch(void);
void sim_faults_release(void);

#endif
