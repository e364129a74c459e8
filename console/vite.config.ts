import { COMPILED_ALIAS, compileMessages } from '@parley/messages/compile'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `vite` finds the server while the console is worked on. */
const SERVER = process.env['PARLEY_URL'] ?? 'http://localhost:3000'

/** The paths that the server answers; the console's page has all others. */
const SERVED =
  '^/(?:api|v1|openai|docs|files|embed|oauth|\\.well-known|openapi\\.json|widget\\.js|readyz|healthz|metrics|mcp(?!/callback))(?:[/?]|$)'

/** What so many screens use comes in one piece with them, and not in fifty. */
const SHARED_FROM = 6

/** The files that compose the messages of several areas. */
const MESSAGES = /\/messages\/\w+\/(?:first|chats|rest)\.ts$/

export default defineConfig({
  root: import.meta.dirname,
  resolve: { alias: COMPILED_ALIAS },
  plugins: [compileMessages(MESSAGES), react(), tailwind()],
  build: {
    target: 'es2022',
    // Nothing is within the page: its policy allows what has a file.
    assetsInlineLimit: 0,
    modulePreload: {
      polyfill: false,
      // A module that failed as a preload fails for as long as the page lives: a screen's chunk asks for those it needs
      // once it is there itself (ui/chunks.ts).
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
