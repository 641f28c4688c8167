#include "input.h"

/* The longest command; the rest of a line is a command of its own (kd-behaviour.md §1.1). */
static const size_t LONGEST_LINE = 4096;
/* More is left in the pipe, so that the writer has to wait as with a kd that does not read. */
static const size_t LINES_AHEAD = 4096;
static const char CTRL_B = 0x02;
static const char CTRL_F = 0x06;

void Input::start(std::function<void()> on_break, std::function<void()> on_quit, std::function<void()> on_line) {
  on_break_ = on_break;
  on_quit_ = on_quit;
  on_line_ = on_line;
  InitializeCriticalSection(&lock_);
  InitializeConditionVariable(&changed_);
  CloseHandle(CreateThread(nullptr, 0, thread, this, 0, nullptr));
}

DWORD WINAPI Input::thread(LPVOID self) {
  static_cast<Input *>(self)->read_all();
  return 0;
}

void Input::read_all() {
  const HANDLE in = GetStdHandle(STD_INPUT_HANDLE);
  char bytes[4096];
  DWORD count = 0;
  while (ReadFile(in, bytes, sizeof bytes, &count, nullptr) && count > 0) {
    take(bytes, count);
    EnterCriticalSection(&lock_);
    while (lines_.size() >= LINES_AHEAD) SleepConditionVariableCS(&changed_, &lock_, INFINITE);
    LeaveCriticalSection(&lock_);
  }
  if (!at_line_start_ && !swallowing_) finish_line();
  EnterCriticalSection(&lock_);
  ended_ = true;
  LeaveCriticalSection(&lock_);
  on_line_();
}

void Input::take(const char *bytes, DWORD count) {
  for (DWORD i = 0; i < count; i++) {
    if (at_line_start_ && take_control_key(bytes[i])) continue;
    at_line_start_ = false;
    if (bytes[i] == '\n') finish_line();
    else if (!swallowing_) partial_ += bytes[i];
  }
}

/* What follows a control key on its line is swallowed. */
bool Input::take_control_key(char key) {
  if (key == CTRL_B) on_quit_();
  else if (key == CTRL_F) on_break_();
  else return false;
  swallowing_ = true;
  at_line_start_ = false;
  return true;
}

void Input::finish_line() {
  at_line_start_ = true;
  std::string line;
  line.swap(partial_);
  if (swallowing_) {
    swallowing_ = false;
    return;
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  EnterCriticalSection(&lock_);
  do {
    lines_.push_back(line.substr(0, LONGEST_LINE));
    line.erase(0, LONGEST_LINE);
  } while (!line.empty());
  LeaveCriticalSection(&lock_);
  deliver();
  on_line_();
}

Input::Next Input::next_line(std::string &line) {
  EnterCriticalSection(&lock_);
  const bool got = !lines_.empty();
  const Next next = got ? Next::line : ended_ ? Next::ended : Next::none_yet;
  if (got) {
    line.swap(lines_.front());
    lines_.pop_front();
  }
  LeaveCriticalSection(&lock_);
  WakeAllConditionVariable(&changed_);
  return next;
}

void Input::give_next_line_to(std::function<void(const std::string &)> taker) {
  EnterCriticalSection(&lock_);
  taker_ = taker;
  LeaveCriticalSection(&lock_);
  /* The engine waits for the answer in the thread that asks: another one must bring it. */
  QueueUserWorkItem([](LPVOID self) -> DWORD { return static_cast<Input *>(self)->deliver(), 0; }, this, 0);
}

void Input::forget_taker() {
  EnterCriticalSection(&lock_);
  taker_ = nullptr;
  LeaveCriticalSection(&lock_);
}

void Input::deliver() {
  std::function<void(const std::string &)> taker;
  std::string line;
  EnterCriticalSection(&lock_);
  if (taker_ && !lines_.empty()) {
    taker.swap(taker_);
    line.swap(lines_.front());
    lines_.pop_front();
  }
  LeaveCriticalSection(&lock_);
  if (taker) taker(line);
}
