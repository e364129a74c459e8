import {
  Blocks,
  BookOpen,
  Bot,
  ChartNoAxesColumn,
  Cpu,
  House,
  KeyRound,
  type LucideIcon,
  MessageSquare,
  MessagesSquare,
  Plug,
  Rocket,
  ScrollText,
  Settings,
  Shield,
  SlidersHorizontal,
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
  /** The key that opens this page after `g`. */
  key?: string
}

interface Group {
  name: keyof (typeof shell)['groups'] | null
  places: readonly Place[]
}

/** The pages in the sidebar, by group. */
export const PLACES: readonly Group[] = [
  {
    name: null,
    places: [
      { to: '/', name: 'home', icon: House, key: 'h' },
      { to: '/chats', name: 'chats', icon: MessageSquare, key: 'c', permission: 'chats:read' },
      { to: '/conversations', name: 'conversations', icon: MessagesSquare, permission: 'conversation:read' },
    ],
  },
  {
    name: 'build',
    places: [
      { to: '/agents', name: 'agents', icon: Bot, key: 'a', permission: 'agent:read' },
      { to: '/knowledge', name: 'knowledge', icon: BookOpen, key: 'k', permission: 'kb:read' },
      { to: '/tools', name: 'tools', icon: Wrench, key: 't', permission: 'tool:read' },
      { to: '/connections', name: 'connections', icon: Plug, key: 'n', permission: 'mcp:read' },
      { to: '/deployments', name: 'deployments', icon: Rocket, key: 'd', permission: 'agent:read' },
      { to: '/playground', name: 'playground', icon: TestTubeDiagonal, permission: 'mcp:read' },
    ],
  },
]

/** The pages of the settings area, by group. They share a navigation of their own. */
export const SETTINGS: readonly Group[] = [
  {
    name: 'organization',
    places: [
      { to: '/settings', name: 'general', icon: SlidersHorizontal, permission: 'organization:read' },
      { to: '/members', name: 'members', icon: Users, permission: 'users:read' },
      { to: '/roles', name: 'roles', icon: Shield, permission: 'roles:read' },
      { to: '/audit', name: 'audit', icon: ScrollText, permission: 'organization:admin' },
    ],
  },
  {
    name: 'spending',
    places: [
      { to: '/models', name: 'models', icon: Cpu, permission: 'organization:read' },
      { to: '/usage', name: 'usage', icon: ChartNoAxesColumn, permission: 'organization:read' },
    ],
  },
  {
    name: 'developers',
    places: [
      { to: '/api_keys', name: 'apiKeys', icon: KeyRound, permission: 'organization:admin' },
      { to: '/webhooks', name: 'webhooks', icon: Webhook, permission: 'organization:admin' },
    ],
  },
]

/** The page for system administrators. Other users do not see it. */
export const ADMIN_PLACE: Place = { to: '/admin', name: 'admin', icon: Blocks }

type May = (permission: string) => boolean

/** Returns the groups with the pages that the user may see. Omits empty groups. */
export const visibleGroups = (groups: readonly Group[], may: May): Group[] =>
  groups.flatMap(({ name, places }) => {
    const visible = places.filter(({ permission }) => permission === undefined || may(permission))
    return visible.length > 0 ? [{ name, places: visible }] : []
  })

/** Returns the sidebar's entry for the settings area, which opens its first page that the user may see. */
export function settingsPlace(may: May): Place | undefined {
  const first = visibleGroups(SETTINGS, may)[0]?.places[0]
  return first && { to: first.to, name: 'settings', icon: Settings, key: 's' }
}

/** Returns the pages of the sidebar that the user may see, with the entry for the settings area. */
export function mainPlaces(may: May): Place[] {
  const settings = settingsPlace(may)
  return [...visibleGroups(PLACES, may).flatMap(({ places }) => places), ...(settings ? [settings] : [])]
}

/** Returns whether a path is within the settings area. */
export const isInSettings = (pathname: string): boolean =>
  SETTINGS.some(({ places }) => places.some(({ to }) => pathname === to || pathname.startsWith(`${to}/`)))
