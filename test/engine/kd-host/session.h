/* One debugging session: connects, waits for events, reads commands at the prompt, ends. */
#pragma once
#include "engine.h"
#include "options.h"

/* Returns the exit code of kd.exe (kd-behaviour.md §1.5). */
int run_session(Engine &engine, const Options &options);
