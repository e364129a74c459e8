import { createRoute } from '@tanstack/react-router'
import { appRoute } from '../../shell/app-route.tsx'
import { lateScreen } from '../../shell/late-screen.ts'

const conversations = createRoute({
  getParentRoute: () => appRoute,
  path: '/conversations',
  validateSearch: ({ archived }: Record<string, unknown>): { archived?: true } =>
    archived === true ? { archived } : {},
  component: lateScreen(() => import('./conversations.tsx'), 'Conversations'),
})

const conversation = createRoute({
  getParentRoute: () => appRoute,
  path: '/conversations/$conversationId',
  // `without` contains the ids of the models that are not asked.
  validateSearch: ({ without }: Record<string, unknown>): { without?: string[] } =>
    Array.isArray(without) && without.length > 0
      ? { without: without.filter((one): one is string => typeof one === 'string') }
      : {},
  component: lateScreen(() => import('./conversation.tsx'), 'Conversation'),
})

export const conversationRoutes = [conversations, conversation] as const
