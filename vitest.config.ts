import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['server/**/*.test.ts', 'tests/**/*.test.ts'],
    exclude: ['tests/kill/**', 'node_modules/**', 'bench/**'],
    globalSetup: ['tests/support/global-setup.ts'],
    // A server with its database per file, so files share nothing but the PostgreSQL process.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
  },
})
