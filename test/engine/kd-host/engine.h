/* Microsoft's debugger engine, loaded at run time so that wine-fixes.h can come before it. */
#pragma once
#define WIN32_LEAN_AND_MEAN
#include <winsock2.h>
#include <windows.h>

#include <string>

/* Annotations of Microsoft's compiler that the header needs and mingw does not have. */
#define __in
#define __out
#define _Analysis_noreturn_
#include <dbgeng.h>
#undef __in
#undef __out

struct Engine {
  IDebugClient5 *client = nullptr;
  /* The same, as ExitDispatch wants it. */
  IDebugClient *dispatched = nullptr;
  IDebugControl4 *control = nullptr;
  IDebugSymbols *symbols = nullptr;
  /* It is another debugger's. */
  bool remote = false;

  /* An engine of this process, or with `server` the one behind it (DebugConnect). */
  HRESULT load(const std::string &server);
};

/* Of the dbgeng.dll beside this program, e.g. 10.0.29507.1001. */
std::string engine_version();
