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

export interface Place {
  to: string
  text: string
  icon: LucideIcon
  /** Offered to who holds it. */
  permission?: string
}

/** Where one can go, in the groups of the sidebar; the command palette knows the same. */
export const PLACES: readonly { group: string | null; places: readonly Place[] }[] = [
  {
    group: null,
    places: [
      { to: '/chats', text: 'Chats', icon: MessageSquare, permission: 'chats:read' },
      { to: '/conversations', text: 'Conversations', icon: MessagesSquare, permission: 'conversation:read' },
    ],
  },
  {
    group: 'Build',
    places: [
      { to: '/agents', text: 'Agents', icon: Bot, permission: 'agent:read' },
      { to: '/knowledge', text: 'Knowledge', icon: BookOpen, permission: 'kb:read' },
      { to: '/tools', text: 'Tools', icon: Wrench, permission: 'tool:read' },
      { to: '/connections', text: 'Connections', icon: Plug, permission: 'mcp:read' },
      { to: '/playground', text: 'Playground', icon: TestTubeDiagonal, permission: 'mcp:read' },
      { to: '/deployments', text: 'Deployments', icon: Rocket, permission: 'agent:read' },
    ],
  },
  {
    group: 'Organization',
    places: [
      { to: '/members', text: 'Members', icon: Users, permission: 'users:read' },
      { to: '/roles', text: 'Roles', icon: Shield, permission: 'roles:read' },
      { to: '/models', text: 'Models', icon: Cpu, permission: 'organization:read' },
      { to: '/usage', text: 'Usage', icon: ChartNoAxesColumn, permission: 'organization:read' },
      { to: '/api_keys', text: 'API keys', icon: KeyRound, permission: 'organization:admin' },
      { to: '/webhooks', text: 'Webhooks', icon: Webhook, permission: 'organization:admin' },
      { to: '/audit', text: 'Audit', icon: ScrollText, permission: 'organization:admin' },
      { to: '/settings', text: 'Settings', icon: Settings, permission: 'organization:read' },
    ],
  },
]

/** For the administrator of the installation. */
export const ADMIN_PLACE: Place = { to: '/admin', text: 'Installation', icon: Blocks }
