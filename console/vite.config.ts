import { COMPILED_ALIAS, compileMessages } from '@parley/messages/compile'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** The server that `vite` proxies to in development. */
const SERVER = process.env['PARLEY_URL'] ?? 'http://localhost:3000'

/** The paths that the server answers. All others belong to the console. */
const SERVED =
  '^/(?:api|v1|openai|docs|files|embed|oauth|\\.well-known|openapi\\.json|widget\\.js|readyz|healthz|metrics|mcp(?!/callback))(?:[/?]|$)'

/** Modules that at least this many chunks share form one chunk instead of fifty. */
const SHARED_FROM = 6

/** The files that combine the messages of several areas into one chunk. */
const MESSAGES = /\/messages\/\w+\/(?:first|chats|rest)\.ts$/

export default defineConfig({
  root: import.meta.dirname,
  resolve: { alias: COMPILED_ALIAS },
  plugins: [compileMessages(MESSAGES), react(), tailwind()],
  build: {
    target: 'es2022',
    // The page's policy allows files only, no inline data.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // A module that fails to preload keeps failing until the page reloads. Chunks load their dependencies themselves,
      // with retries (ui/chunks.ts).
      resolveDependencies: (_file, files, { hostType }) =>
        hostType === 'html' ? files : files.filter((file) => file.endsWith('.css')),
    },
    reportCompressedSize: false,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: SHARED_FROM }] } },
    },
  },
  server: {
    proxy: { [SERVED]: { target: SERVER, ws: true } },
  },
})
