/* What the engine calls: its output goes to stdout, what it asks for comes from stdin. */
#pragma once
#include "engine.h"
#include "input.h"

void install_callbacks(Engine &engine, Input &input);
