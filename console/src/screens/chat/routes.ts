import { createRoute, retainSearchParams } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'
import type { ChatSearch } from './search-params.ts'

const wordsOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined

const chats = createRoute({
  getParentRoute: () => appRoute,
  path: '/chats',
  validateSearch: ({ q, folder, archived, prompt, message }: Record<string, unknown>): ChatSearch => ({
    ...(wordsOf(q) && { q: wordsOf(q) as string }),
    ...(wordsOf(folder) && { folder: wordsOf(folder) as string }),
    ...(archived === true && { archived }),
    ...(wordsOf(prompt) && { prompt: wordsOf(prompt) as string }),
    ...(wordsOf(message) && { message: wordsOf(message) as string }),
  }),
  search: { middlewares: [retainSearchParams(['q', 'folder', 'archived'])] },
  component: lateScreen(() => import('./chats.tsx'), 'Chats', { text: 'chats' }),
})

// These two routes render nothing. The parent route renders the screen, which therefore stays mounted when a new chat
// gets its own URL.
const newChat = createRoute({ getParentRoute: () => chats, path: '/', component: () => null })
const oneChat = createRoute({ getParentRoute: () => chats, path: '$chatId', component: () => null })

export const chatRoutes = [chats.addChildren([newChat, oneChat])] as const
