/** Where the engine sees a command, and where text: what src/kd/segments.ts and src/policy rest on. */
import { expect, test } from 'vitest';
import { startGuest } from './guest.ts';
import { stoppedKd } from './kd.ts';

test('quotes and brackets hide commands from a reader, and not from kd', async () => {
  const kd = await stoppedKd(await startGuest());
  const prints = async (line: string): Promise<string> => (await kd.run(line)).trim();
  // A quote anywhere in the text of .echo quotes to the next one or to the end, and nothing escapes it.
  expect(await prints('.echo a "b;.echo X')).toBe('a "b;.echo X');
  expect(await prints('.echo a"b;c"d;.echo X')).toBe('a"b;c"d\nX');
  expect(await prints('.echo a\\"b;.echo X')).toBe('a\\"b;.echo X');
  expect(await prints('.echo "a;b";.echo X')).toBe('a;b\nX');
  expect(await prints(".echo it's;.echo X")).toBe("it's\nX");
  expect(await prints('.printf "a\\";.echo X;\\n";.echo Y')).toBe('a";.echo X;\nY');
  expect(await prints('$$ a "b;.echo X')).toBe('X');
  expect(await prints('* a "b";.echo X')).toBe('');
  // '…' hides a round bracket, and no brace.
  expect(await prints(".if ( ') { .echo A ' ) { .echo B }")).toBe('B');
  expect(await prints(".block { .echo ' } ; * ' ; .echo B }")).toBe("'");
  // What stands between the expression of j and a quote is a command.
  expect(await prints("j (1) .echo 'k' ; 'r'")).toBe('k');
  // Steps take commands (the first one only leaves the break-in); so does sx-.
  await kd.run('t');
  expect(await prints('t ".echo B"')).toMatch(/^B\n/);
  // The escapes of C make a separator.
  expect(await prints('t ".echo A\\x3b.echo B"')).toMatch(/^A\nB\n/);
  expect(await prints('t ".echo A\\073.echo B"')).toMatch(/^A\nB\n/);
  expect(await prints('t ".echo A\\n.echo B"')).toMatch(/^A .echo B\n/);
  await kd.run('sx- -c ".echo B" ld');
  expect(await prints('sx')).toContain('Command: ".echo B"');
  // What dx calls need not have a name.
  await kd.run('dx @$f = Debugger.Utility.Control.ExecuteCommand');
  expect(await prints('dx (@$f)(".echo B")')).toMatch(/: B$/);
  // The items of .foreach become commands, and the guest chooses them.
  expect(await prints('.foreach (v {.printf "x;.echo$Y"}) { .echo v }')).toBe('x\n$Y');
});
