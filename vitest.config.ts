import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/host/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
