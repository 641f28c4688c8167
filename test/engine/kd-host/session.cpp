#include "session.h"

#include "callbacks.h"
#include "input.h"

static Engine *running;
static Input input;

/* Asks the target to stop, or a command to end; the engine drops it at an idle prompt (engine.md §6). */
static void request_break() { running->control->SetInterrupt(DEBUG_INTERRUPT_ACTIVE); }

static BOOL WINAPI on_console_event(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) return FALSE;
  request_break();
  return TRUE;
}

static void set_up(Engine &engine, const Options &options) {
  ULONG flags = 0;
  if (options.break_on_connect) flags |= DEBUG_ENGOPT_INITIAL_BREAK;
  if (options.break_on_load) flags |= DEBUG_ENGOPT_INITIAL_MODULE_BREAK;
  if (options.quiet) flags |= DEBUG_ENGOPT_KD_QUIET_MODE;
  if (options.no_shell) flags |= DEBUG_ENGOPT_DISALLOW_SHELL_COMMANDS;
  engine.control->AddEngineOptions(flags);
  if (!options.log_file.empty()) {
    const ULONG kind = (options.log_append ? DEBUG_LOG_APPEND : 0) | (options.log_unicode ? DEBUG_LOG_UNICODE : 0);
    engine.control->OpenLogFile2(options.log_file.c_str(), kind);
  }
  if (!options.symbol_path.empty()) engine.symbols->SetSymbolPath(options.symbol_path.c_str());
  if (!options.image_path.empty()) engine.symbols->SetImagePath(options.image_path.c_str());
}

static HRESULT connect(Engine &engine, const Options &options) {
  HRESULT result = S_OK;
  for (const std::string &dump : options.dumps) {
    if (FAILED(result = engine.client->OpenDumpFile(dump.c_str()))) return result;
  }
  if (!options.dumps.empty()) return result;
  if (options.local_kernel) return engine.client->AttachKernel(DEBUG_ATTACH_LOCAL_KERNEL, nullptr);
  /* No target at all is a serial one (kd-behaviour.md §1.5). */
  const char *connection = options.connection.empty() ? "com:port=com1" : options.connection.c_str();
  return engine.client->AttachKernel(DEBUG_ATTACH_KERNEL_CONNECTION, connection);
}

static ULONG execution_status(Engine &engine) {
  ULONG status = DEBUG_STATUS_NO_DEBUGGEE;
  engine.control->GetExecutionStatus(&status);
  return status;
}

/* The other clients of the engine see who sent what (kd-behaviour.md §9.2); the host's own lines have no name (transcript 30). */
static void execute(Engine &engine, const std::string &command) {
  if (engine.remote) {
    engine.client->OutputIdentity(DEBUG_OUTCTL_ALL_OTHER_CLIENTS, DEBUG_OUTPUT_IDENTITY_DEFAULT, "[%s] ");
    engine.control->OutputPrompt(DEBUG_OUTCTL_ALL_OTHER_CLIENTS, " %s\n", command.c_str());
    engine.control->Execute(DEBUG_OUTCTL_ALL_CLIENTS, command.c_str(), DEBUG_EXECUTE_NOT_LOGGED);
    return;
  }
  engine.control->OutputPrompt(DEBUG_OUTCTL_ALL_OTHER_CLIENTS | DEBUG_OUTCTL_NOT_LOGGED, " %s\n", command.c_str());
  engine.control->Execute(DEBUG_OUTCTL_ALL_CLIENTS, command.c_str(), DEBUG_EXECUTE_DEFAULT);
}

/* How often to look whether another client let the target run. */
static const ULONG LOOK_MS = 50;
/* How much of what was printed before a client of the engine is shown. */
static const ULONG HISTORY_LINES = 10000;

/* The next line; `none_yet`: another client of the engine let the target run meanwhile. */
static Input::Next wait_for_line(Engine &engine, std::string &line) {
  for (;;) {
    const Input::Next next = input.next_line(line);
    if (next != Input::Next::none_yet || execution_status(engine) != DEBUG_STATUS_BREAK) return next;
    /* What other clients do is shown by this thread. */
    engine.client->DispatchCallbacks(LOOK_MS);
  }
}

/* Reads commands while the target is stopped; false when the input has ended. */
static bool command_loop(Engine &engine, const Options &options) {
  static bool first = true;
  while (execution_status(engine) == DEBUG_STATUS_BREAK) {
    engine.control->OutputPrompt(DEBUG_OUTCTL_THIS_CLIENT, " ");
    if (first && options.has_initial_command) {
      first = false;
      engine.control->Output(DEBUG_OUTPUT_NORMAL, "kd: Reading initial command '%s'\n", options.initial_command.c_str());
      execute(engine, options.initial_command);
      continue;
    }
    first = false;
    std::string line;
    switch (wait_for_line(engine, line)) {
    case Input::Next::ended: return false;
    case Input::Next::none_yet: return true;
    /* The engine repeats the last command for an empty line. */
    case Input::Next::line: execute(engine, line);
    }
  }
  return true;
}

/* Another debugger's session: its target is that one's to wait for, not this program's (kd-behaviour.md §9.2). */
static int run_remote(Engine &engine, const Options &options) {
  engine.client->ConnectSession(DEBUG_CONNECT_SESSION_DEFAULT, HISTORY_LINES);
  if (options.break_on_connect) request_break();
  for (;;) {
    ULONG status = DEBUG_STATUS_NO_DEBUGGEE;
    /* An error: the other debugger is gone. */
    const HRESULT result = engine.control->GetExecutionStatus(&status);
    if (FAILED(result)) return result;
    if (status != DEBUG_STATUS_BREAK) engine.client->DispatchCallbacks(LOOK_MS);
    else if (!command_loop(engine, options)) return 0;
  }
}

int run_session(Engine &engine, const Options &options) {
  running = &engine;
  SetConsoleCtrlHandler(on_console_event, TRUE);
  install_callbacks(engine, input);
  if (!engine.remote) set_up(engine, options);
  /* Ctrl+B leaves at once and touches nothing (§5.6). */
  input.start(request_break, [] { ExitProcess(0); }, [&engine] { engine.client->ExitDispatch(engine.dispatched); });
  if (engine.remote) return run_remote(engine, options);
  HRESULT result = S_OK;
  if (!options.server.empty()) result = engine.client->StartServer(options.server.c_str());
  if (SUCCEEDED(result)) result = connect(engine, options);
  if (FAILED(result)) return result;
  for (;;) {
    /* A session that has ended is an error of the wait. */
    result = engine.control->WaitForEvent(DEBUG_WAIT_DEFAULT, INFINITE);
    if (FAILED(result)) return execution_status(engine) == DEBUG_STATUS_NO_DEBUGGEE ? 0 : result;
    engine.control->OutputCurrentState(DEBUG_OUTCTL_ALL_CLIENTS, DEBUG_CURRENT_DEFAULT);
    /* Without input kd ends at the prompt and leaves the target as it is (§4.3). */
    if (!command_loop(engine, options)) return 0;
  }
}
