#include <initguid.h>

#include "engine.h"

#include <string.h>

bool Engine::load() {
  typedef HRESULT(STDAPICALLTYPE * Create)(REFIID, PVOID *);
  HMODULE library = LoadLibraryA("dbgeng.dll");
  if (!library) return false;
  Create create = reinterpret_cast<Create>(reinterpret_cast<void *>(GetProcAddress(library, "DebugCreate")));
  if (!create || FAILED(create(IID_IDebugClient5, reinterpret_cast<PVOID *>(&client)))) return false;
  return SUCCEEDED(client->QueryInterface(IID_IDebugControl4, reinterpret_cast<PVOID *>(&control))) &&
         SUCCEEDED(client->QueryInterface(IID_IDebugSymbols, reinterpret_cast<PVOID *>(&symbols)));
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
