/** All tools, in the order in which clients see them. The list never changes with state. */
import { healthCheckTool } from './health-check.ts';
import { kdCommandTool } from './kd-command.ts';
import { listSessionsTool } from './list-sessions.ts';
import { readOutputTool } from './read-output.ts';
import { resumeForWinrmTool } from './resume-for-winrm.ts';
import { breakInTool, continueGoTool, waitForBreakTool } from './run-control.ts';
import { startFromStateTool, startKdTool } from './start.ts';
import { stopKdTool } from './stop-kd.ts';
import type { Tool } from './tool.ts';

export const tools: readonly Tool[] = [
  healthCheckTool,
  startFromStateTool,
  startKdTool,
  listSessionsTool,
  kdCommandTool,
  breakInTool,
  continueGoTool,
  waitForBreakTool,
  resumeForWinrmTool,
  readOutputTool,
  stopKdTool,
];
