// Notes the work of launches in the file that BANKSHOT_SIM_WORK names, for `make fit`. Without it nothing is noted.
#ifndef SIM_TIME_WORK_LOG_H
#define SIM_TIME_WORK_LOG_H

#include "model/work_record.h"

void sim_work_log_launch(const struct launch_record *launch);
void sim_work_log_span(const struct span_record *span);

#endif
