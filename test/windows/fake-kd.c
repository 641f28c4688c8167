/*
 * A console program that breaks in like kd.exe: the smallest thing that a Ctrl+C in a hidden console can stop.
 * Its target runs from the start; a stop prints the box, the event and a prompt; commands are .echo, g and q.
 * With --behind it starts itself once more in the same console and waits: what stands behind a Store alias.
 */
#include <windows.h>
#include <stdio.h>
#include <string.h>

static HANDLE break_asked;
static HANDLE line_there;
static HANDLE line_taken;
static char line[4096];

static BOOL WINAPI on_control(DWORD event) {
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) return FALSE;
  SetEvent(break_asked);
  return TRUE;
}

/* Reads ahead like kd's input thread, so that Ctrl+F is seen while the target runs and nobody reads commands. */
static DWORD WINAPI read_input(LPVOID unused) {
  (void)unused;
  while (fgets(line, sizeof line, stdin)) {
    if (line[0] == 0x06) {
      SetEvent(break_asked);
      continue;
    }
    SetEvent(line_there);
    WaitForSingleObject(line_taken, INFINITE);
  }
  /* Lives on without input: whoever ends it must have meant to. */
  return 0;
}

static void stopped(void) {
  printf("*******************************************************************************\n");
  printf("*   You are seeing this message because you pressed either                    *\n");
  printf("*       CTRL+C (if you run console kernel debugger) or,                       *\n");
  printf("*******************************************************************************\n");
  printf("Break instruction exception - code 80000003 (first chance)\n");
  printf("nt!DbgBreakPointWithStatus:\nfffff805`0f4065e0 cc              int     3\n");
}

static int run_behind(void) {
  char path[MAX_PATH];
  STARTUPINFOA startup = {.cb = sizeof startup};
  PROCESS_INFORMATION real;
  DWORD code = 1;
  SetConsoleCtrlHandler(on_control, TRUE);
  GetModuleFileNameA(NULL, path, sizeof path);
  if (!CreateProcessA(path, NULL, NULL, NULL, TRUE, 0, NULL, NULL, &startup, &real)) return 1;
  WaitForSingleObject(real.hProcess, INFINITE);
  GetExitCodeProcess(real.hProcess, &code);
  return (int)code;
}

int main(int count, char **arguments) {
  break_asked = CreateEvent(NULL, FALSE, FALSE, NULL);
  if (count > 1 && strcmp(arguments[1], "--behind") == 0) return run_behind();
  line_there = CreateEvent(NULL, FALSE, FALSE, NULL);
  line_taken = CreateEvent(NULL, FALSE, FALSE, NULL);
  SetConsoleCtrlHandler(on_control, TRUE);
  CreateThread(NULL, 0, read_input, NULL, 0, NULL);
  printf("pid %lu\nWaiting to reconnect...\n", GetCurrentProcessId());
  fflush(stdout);
  for (;;) {
    WaitForSingleObject(break_asked, INFINITE);
    stopped();
    for (;;) {
      printf("0: kd> ");
      fflush(stdout);
      WaitForSingleObject(line_there, INFINITE);
      line[strcspn(line, "\r\n")] = 0;
      if (strcmp(line, "q") == 0) return 0;
      BOOL resume = strcmp(line, "g") == 0;
      if (strncmp(line, ".echo ", 6) == 0) printf("%s\n", line + 6);
      /* A break that comes now is kept for the run that follows, so that a test need not wait between the two. */
      SetEvent(line_taken);
      if (resume) break;
    }
  }
}
