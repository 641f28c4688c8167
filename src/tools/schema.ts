/** Tools in the words of MCP: JSON schemas of arguments and annotations. */
import type { Argument, Tool } from './tool.ts';

export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, Argument>>;
    readonly required?: string[];
  };
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}

/**
 * `readOnlyHint` lets VS Code call without asking, so it is true only for tools that change nothing; `openWorldHint`
 * would make it ask before the model sees a result (vscode.md §1).
 */
export function describeTool(tool: Tool): ToolDescription {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: {
      type: 'object',
      properties: tool.args,
      ...(tool.required ? { required: [...tool.required] } : {}),
    },
    annotations: {
      title: tool.title,
      readOnlyHint: tool.effect === 'read',
      destructiveHint: tool.destructive ?? false,
      idempotentHint: tool.effect === 'read' || (tool.idempotent ?? false),
      openWorldHint: false,
    },
  };
}
