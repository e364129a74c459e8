import { join } from 'node:path'
import { COMPILED_ALIAS, compileMessages } from '@parley/messages/compile'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { logos } from './logos.ts'
import { SHARED_BY_START, START, startFirst } from './start-first.ts'

/** The server to which Vite's development server proxies requests. */
const SERVER = process.env['PARLEY_URL'] ?? 'http://localhost:3000'

/** Matches the paths that the server handles. All other paths belong to the console. */
const SERVED =
  '^/(?:api|v1|openai|docs|files|embed|oauth|\\.well-known|openapi\\.json|widget\\.js|readyz|healthz|metrics|mcp(?!/callback))(?:[/?]|$)'

/**
 * Modules that at least this many chunks import are put into one common chunk. Otherwise, about fifty small chunks
 * would result.
 */
const SHARED_FROM = 6

/**
 * Matches the menus, dialogs and lists in front of a page, with their packages. No first page shows one, so they are in
 * a chunk of their own.
 */
const PANELS =
  /\/src\/ui\/(?:menu-panel|dialog-panel|popover-panel|picker-panel|toasts|confirm-dialog)\.tsx$|\/node_modules\/(?:@radix-ui|radix-ui|@floating-ui|cmdk|aria-hidden|react-remove-scroll|react-remove-scroll-bar|react-style-singleton|use-callback-ref|use-sidecar)\//

/** Matches tables of records, charts, and their placeholders. No first page shows one, so they are in a chunk of their own. */
const LISTS =
  /\/src\/ui\/(?:table|chart|searched-list|paged-list|search-field|editor-skeleton|pending-page)\.tsx$/

/** Matches parts of later pages and of chats that neither home nor sign-in shows. */
const DETAILS =
  /\/src\/(?:ui\/(?:bar|copy|picker|picker-field|choices|on-sight)|api\/use-records|shell\/models)\.tsx?$|\/@tanstack\/\S+\/(?:useQueries|queriesObserver)\.js$/

/** Matches the files that combine the messages of several areas into one chunk. */
const MESSAGES = /\/messages\/\w+\/(?:first|chats|rest)\.ts$/

export default defineConfig({
  root: import.meta.dirname,
  resolve: { alias: COMPILED_ALIAS },
  plugins: [compileMessages(MESSAGES), react(), tailwind(), logos(), startFirst],
  build: {
    target: 'es2022',
    // The page's Content-Security-Policy forbids inline data, so emit all assets as files.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // Preload only style sheets. If a module fails to preload, browsers keep failing until the page reloads. Chunks
      // import their dependencies themselves, with retries (ui/chunks.ts).
      resolveDependencies: (_file, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => file.endsWith('.css')),
    },
    reportCompressedSize: false,
    rolldownOptions: {
      input: { index: join(import.meta.dirname, 'index.html'), start: START },
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', test: SHARED_BY_START, priority: 2, includeDependenciesRecursively: false },
            { name: 'panels', test: PANELS, priority: 1, includeDependenciesRecursively: false },
            { name: 'lists', test: LISTS, priority: 1, includeDependenciesRecursively: false },
            { name: 'details', test: DETAILS, priority: 1, includeDependenciesRecursively: false },
            { name: 'shared', minShareCount: SHARED_FROM },
          ],
        },
      },
    },
  },
  server: {
    proxy: { [SERVED]: { target: SERVER, ws: true } },
  },
})
