import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/host/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Most of the time goes by waiting for other programs; on few processors vitest would run one file at a time.
    maxWorkers: Math.max(3, availableParallelism() - 1),
  },
});
