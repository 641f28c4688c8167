/** What a person reads is Korean where VS Code is; VS Code's own texts stay English here (language-pack.ts). */
import { eventually, test } from '../suite/runner.ts';
import { withVsCode } from './stage.ts';
import { Window } from './window.ts';

test('in Korean the view, the palette, the tree and the status bar are Korean', () =>
  withVsCode(
    async (vscode, context) => {
      const window = await Window.open(context, vscode.address(vscode.workspace), 'KD 세션');
      await eventually('the welcome text', async () =>
        (await window.welcome()).includes('커널 디버깅 세션이 없습니다'),
      );
      await window.run('KD: 시뮬레이션 세션 시작');
      await eventually('the session', async () => /^sim-1 ?링크됨/.test(await window.tree()));
      await window.run('KD: 중단', '중단');
      await eventually('the halt', async () => /^sim-1 ?정지됨 \d+초/.test(await window.tree()));
      await eventually('its state', async () => /sim-1 정지됨 \d+초 실행/.test(await window.status()));
    },
    { locale: 'ko' },
  ));
