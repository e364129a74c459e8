import {
  Blocks,
  BookOpen,
  Bot,
  ChartNoAxesColumn,
  Cpu,
  KeyRound,
  type LucideIcon,
  MessageSquare,
  MessagesSquare,
  Plug,
  Rocket,
  ScrollText,
  Settings,
  Shield,
  TestTubeDiagonal,
  Users,
  Webhook,
  Wrench,
} from 'lucide-react'
import type shell from '../messages/en/shell.ts'

export interface Place {
  to: string
  name: keyof (typeof shell)['places']
  icon: LucideIcon
  /** The permission that the user needs to see this page. If omitted, all users see it. */
  permission?: string
}

/** The pages in the sidebar, by group. The command palette lists the same pages. */
export const PLACES: readonly { group: keyof (typeof shell)['groups'] | null; places: readonly Place[] }[] = [
  {
    group: null,
    places: [
      { to: '/chats', name: 'chats', icon: MessageSquare, permission: 'chats:read' },
      { to: '/conversations', name: 'conversations', icon: MessagesSquare, permission: 'conversation:read' },
    ],
  },
  {
    group: 'build',
    places: [
      { to: '/agents', name: 'agents', icon: Bot, permission: 'agent:read' },
      { to: '/knowledge', name: 'knowledge', icon: BookOpen, permission: 'kb:read' },
      { to: '/tools', name: 'tools', icon: Wrench, permission: 'tool:read' },
      { to: '/connections', name: 'connections', icon: Plug, permission: 'mcp:read' },
      { to: '/playground', name: 'playground', icon: TestTubeDiagonal, permission: 'mcp:read' },
      { to: '/deployments', name: 'deployments', icon: Rocket, permission: 'agent:read' },
    ],
  },
  {
    group: 'organization',
    places: [
      { to: '/members', name: 'members', icon: Users, permission: 'users:read' },
      { to: '/roles', name: 'roles', icon: Shield, permission: 'roles:read' },
      { to: '/models', name: 'models', icon: Cpu, permission: 'organization:read' },
      { to: '/usage', name: 'usage', icon: ChartNoAxesColumn, permission: 'organization:read' },
      { to: '/api_keys', name: 'apiKeys', icon: KeyRound, permission: 'organization:admin' },
      { to: '/webhooks', name: 'webhooks', icon: Webhook, permission: 'organization:admin' },
      { to: '/audit', name: 'audit', icon: ScrollText, permission: 'organization:admin' },
      { to: '/settings', name: 'settings', icon: Settings, permission: 'organization:read' },
    ],
  },
]

/** The page for system administrators. Other users do not see it. */
export const ADMIN_PLACE: Place = { to: '/admin', name: 'admin', icon: Blocks }
