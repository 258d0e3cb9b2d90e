// The time that this process waits for processors that other programs use.
#ifndef UTIL_PROCESSOR_WAIT_H
#define UTIL_PROCESSOR_WAIT_H

// Seconds for which its threads were ready to run but did not, since they began, summed over threads. NaN if the system
// does not tell.
double processor_wait_s(void);

#endif
