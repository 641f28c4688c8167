#include <initguid.h>

#include "engine.h"

#include <string.h>

HRESULT Engine::load(const std::string &server) {
  typedef HRESULT(STDAPICALLTYPE * Create)(REFIID, PVOID *);
  typedef HRESULT(STDAPICALLTYPE * Connect)(PCSTR, REFIID, PVOID *);
  HMODULE library = LoadLibraryA("dbgeng.dll");
  if (!library) return HRESULT_FROM_WIN32(GetLastError());
  remote = !server.empty();
  void *entry = reinterpret_cast<void *>(GetProcAddress(library, remote ? "DebugConnect" : "DebugCreate"));
  if (!entry) return HRESULT_FROM_WIN32(GetLastError());
  PVOID *made = reinterpret_cast<PVOID *>(&client);
  HRESULT result = remote ? reinterpret_cast<Connect>(entry)(server.c_str(), IID_IDebugClient5, made)
                          : reinterpret_cast<Create>(entry)(IID_IDebugClient5, made);
  if (SUCCEEDED(result)) result = client->QueryInterface(IID_IDebugClient, reinterpret_cast<PVOID *>(&dispatched));
  if (SUCCEEDED(result)) result = client->QueryInterface(IID_IDebugControl4, reinterpret_cast<PVOID *>(&control));
  if (SUCCEEDED(result)) result = client->QueryInterface(IID_IDebugSymbols, reinterpret_cast<PVOID *>(&symbols));
  return result;
}

std::string engine_version() {
  char program[MAX_PATH] = "";
  GetModuleFileNameA(nullptr, program, sizeof program);
  const std::string folder(program, strrchr(program, '\\') + 1);
  const std::string path = folder + "dbgeng.dll";
  DWORD unused = 0;
  const DWORD size = GetFileVersionInfoSizeA(path.c_str(), &unused);
  std::string block(size, '\0');
  VS_FIXEDFILEINFO *fixed = nullptr;
  UINT length = 0;
  if (!GetFileVersionInfoA(path.c_str(), 0, size, &block[0]) ||
      !VerQueryValueA(block.data(), "\\", reinterpret_cast<void **>(&fixed), &length))
    return "unknown";
  const auto part = [](DWORD both, bool high) { return std::to_string(high ? HIWORD(both) : LOWORD(both)); };
  return part(fixed->dwFileVersionMS, true) + "." + part(fixed->dwFileVersionMS, false) + "." +
         part(fixed->dwFileVersionLS, true) + "." + part(fixed->dwFileVersionLS, false);
}
