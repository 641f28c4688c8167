/** Makes `docs/tools.md` from the tools themselves: `node src/tools/reference.ts`. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { tools } from './index.ts';
import { describeTool } from './schema.ts';
import type { Argument, Tool } from './tool.ts';

/** The reference of all tools as Markdown. */
export function toolsReference(): string {
  return `# Tools

<!-- Made from src/tools by \`npm run docs\`. Do not edit. -->

What an MCP client sees. Every reply is text of at most 8,192 bytes: the state of the session first, then remarks, then
debugger output inside a fence, then the call that reads what was cut. Every call answers within 45 s; longer waits are
repeated calls. Numbers, truth values and lists may arrive as strings. Errors are results (\`isError\`) that say what to do.

| Tool | Changes something | What it is for |
|---|---|---|
${tools.map((tool) => `| [\`${tool.name}\`](#${tool.name}) | ${tool.effect === 'read' ? 'no' : 'yes'} | ${tool.title} |`).join('\n')}

${tools.map(section).join('\n')}`;
}

function section(tool: Tool): string {
  const { annotations } = describeTool(tool);
  const hints = Object.entries(annotations)
    .filter(([, value]) => value === true)
    .map(([name]) => `\`${name}\``);
  return `## ${tool.name}

${tool.description}

${argumentTable(tool)}
${hints.length === 0 ? '' : `Annotations: ${hints.join(', ')}.\n`}`;
}

function argumentTable(tool: Tool): string {
  const rows = Object.entries(tool.args).map(([name, argument]) => {
    const required = tool.required?.includes(name) ? ' (required)' : '';
    return `| \`${name}\`${required} | ${typeOf(argument)} | ${argument.description.replaceAll('|', '\\|')} |`;
  });
  return rows.length === 0
    ? 'No arguments.\n'
    : `| Argument | Type | Meaning |\n|---|---|---|\n${rows.join('\n')}\n`;
}

function typeOf(argument: Argument): string {
  switch (argument.type) {
    case 'string':
      return argument.enum === undefined ? 'string' : argument.enum.map((word) => `\`${word}\``).join(', ');
    case 'boolean':
      return 'boolean';
    case 'integer':
    case 'number':
      return argument.maximum === undefined
        ? argument.type
        : `${argument.type}, ${argument.minimum ?? 0} to ${argument.maximum}`;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../../docs/tools.md', import.meta.url), toolsReference());
}
