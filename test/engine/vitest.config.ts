import { defineConfig } from 'vitest/config';

/** The suite on Microsoft's own engine; run.mjs starts it. */
export default defineConfig({
  test: {
    include: ['test/engine/**/*.test.ts'],
    globalSetup: ['test/engine/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Each test is several processes, some of them in Wine.
    maxWorkers: 2,
  },
});
