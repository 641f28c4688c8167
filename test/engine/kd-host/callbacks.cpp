#include "callbacks.h"

#include <stdio.h>

/* COM objects that live as long as the process. */
template <class Interface> struct Lasting : Interface {
  STDMETHOD(QueryInterface)(REFIID wanted, PVOID *object) override {
    if (!IsEqualIID(wanted, IID_IUnknown) && !IsEqualIID(wanted, own_id())) {
      *object = nullptr;
      return E_NOINTERFACE;
    }
    *object = this;
    return S_OK;
  }
  STDMETHOD_(ULONG, AddRef)() override { return 1; }
  STDMETHOD_(ULONG, Release)() override { return 1; }
  virtual REFIID own_id() const = 0;
};

/*
 * Held while an answer is on its way into the engine. The engine's command goes on before ReturnInput has returned, and
 * what ReturnInput does last would end the command's next question as well (seen on a busy machine): so the command waits
 * where it prints.
 */
static CRITICAL_SECTION answering;

/* In pieces as the engine makes them, each at once on the pipe; line ends become CRLF (kd-behaviour.md §4.4). */
struct Printer : Lasting<IDebugOutputCallbacks> {
  REFIID own_id() const override { return IID_IDebugOutputCallbacks; }
  STDMETHOD(Output)(ULONG, PCSTR text) override {
    EnterCriticalSection(&answering);
    LeaveCriticalSection(&answering);
    fputs(text, stdout);
    fflush(stdout);
    return S_OK;
  }
};

/* A command that asks (`Input>`, `Hit Enter...`; kd-behaviour.md §4.6) gets the next line. */
struct Questions : Lasting<IDebugInputCallbacks> {
  Engine *engine = nullptr;
  Input *input = nullptr;
  REFIID own_id() const override { return IID_IDebugInputCallbacks; }
  STDMETHOD(StartInput)(ULONG) override {
    input->give_next_line_to([this](const std::string &line) {
      EnterCriticalSection(&answering);
      engine->control->ReturnInput(line.c_str());
      LeaveCriticalSection(&answering);
    });
    return S_OK;
  }
  STDMETHOD(EndInput)() override {
    input->forget_taker();
    return S_OK;
  }
};

void install_callbacks(Engine &engine, Input &input) {
  InitializeCriticalSection(&answering);
  static Printer printer;
  static Questions questions;
  questions.engine = &engine;
  questions.input = &input;
  engine.client->SetOutputCallbacks(&printer);
  engine.client->SetInputCallbacks(&questions);
}
