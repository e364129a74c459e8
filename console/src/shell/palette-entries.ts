import type { Deployment } from '@parley/client/schemas'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import {
  BookOpen,
  Bot,
  Building2,
  Keyboard,
  LogOut,
  type LucideIcon,
  MessageSquare,
  Monitor,
  Moon,
  PanelLeftClose,
  Plus,
  Rocket,
  Sun,
  User,
  UserCog,
  UserPlus,
  Wrench,
} from 'lucide-react'
import { read } from '../api/queries.ts'
import type shell from '../messages/en/shell.ts'
import { translator } from '../messages/index.ts'
import { signOut } from '../ui/deletions.ts'
import { chooseTheme } from '../ui/theme.ts'
import { useDelayed } from '../ui/use-delayed.ts'
import { useHere } from './organization.tsx'
import { showOverlay } from './overlay.ts'
import { ADMIN_PLACE, mainPlaces, PLACES, type Place, SETTINGS, visibleGroups } from './places.ts'
import { rail } from './rail.ts'

const t = translator('shell')

export interface Entry {
  id: string
  name: string
  icon: LucideIcon
  /** Text that is also searched, such as an email address. */
  note?: string | undefined
  keys?: string
  run: () => void
}

export interface EntryGroup {
  name: keyof (typeof shell)['palette']['groups']
  entries: Entry[]
  /** Whether more entries may still arrive. */
  isPending?: boolean
}

/** The server is searched from this length of the query on, in characters. */
const SEARCH_FROM = 2
/** The server is searched when the user has stopped typing for this long. */
const PAUSE_MS = 150
const PER_GROUP_MAX = 5
/** The number of matching records per type among which the best ones are chosen. */
const MATCHES_MAX = 50

/**
 * Returns what the palette offers for a query: actions, pages, chats and records. Each appears once, and the best
 * matches of each group come first. Without a query, returns all actions and pages.
 */
export function useEntries(query: string): EntryGroup[] {
  const delayed = useDelayed(query, PAUSE_MS)
  const sought = query.length < SEARCH_FROM ? '' : delayed
  const isTyping = query.length >= SEARCH_FROM && query !== sought
  const found = [useChats(sought), ...useRecords(sought)]
  return [
    useActions(),
    usePages(),
    ...found.map((group) => ({ ...group, isPending: isTyping || group.isPending })),
  ]
    .map(({ entries, ...group }) => ({ ...group, entries: bestOf(entries, query, group.name === 'chats') }))
    .filter(({ entries, isPending }) => entries.length > 0 || isPending)
}

function useActions(): EntryGroup {
  const { organization, organizations, may, mayInvite } = useHere()
  const navigate = useNavigate()
  const entry = (id: string, icon: LucideIcon, name: string, run: () => void, keys?: string): Entry => ({
    id,
    name,
    icon,
    run,
    ...(keys !== undefined && { keys }),
  })
  const create = (to: string) => () => void navigate({ to, search: { create: true } as never })
  const theme = (name: 'system' | 'light' | 'dark', icon: LucideIcon) =>
    entry(`theme-${name}`, icon, t('palette.theme', { name: t(`theme.${name}`) }), () => chooseTheme(name))
  return {
    name: 'actions',
    entries: [
      ...(may('chats:write')
        ? [
            entry(
              'new-chat',
              Plus,
              t('palette.newChat'),
              () => void navigate({ to: '/chats', search: { message: undefined } }),
              'mod+shift+o',
            ),
          ]
        : []),
      ...(may('agent:write') ? [entry('new-agent', Plus, t('palette.newAgent'), create('/agents'))] : []),
      ...(may('kb:write') ? [entry('new-kb', Plus, t('palette.newKnowledge'), create('/knowledge'))] : []),
      ...(may('tool:write') ? [entry('new-tool', Plus, t('palette.newTool'), create('/tools'))] : []),
      ...(mayInvite ? [entry('invite', UserPlus, t('palette.invite'), create('/members'))] : []),
      theme('light', Sun),
      theme('dark', Moon),
      theme('system', Monitor),
      entry('rail', PanelLeftClose, t('rail.toggle'), rail.toggle, '['),
      entry('shortcuts', Keyboard, t('shortcuts.title'), () => showOverlay('shortcuts'), '?'),
      ...organizations
        .filter(({ id }) => id !== organization.id)
        .map(({ id, name }) =>
          entry(
            id,
            Building2,
            t('palette.switch', { organization: name }),
            () => void navigate({ to: '/', search: { org_id: id } }),
          ),
        ),
      entry('sign-out', LogOut, t('account.signOut'), () => void signOut()),
    ],
  }
}

function usePages(): EntryGroup {
  const { user, may } = useHere()
  const navigate = useNavigate()
  const keys = new Map(mainPlaces(may).map(({ to, key }) => [to, key]))
  const page = ({ to, name, icon }: Place): Entry => ({
    id: to,
    name: t(`places.${name}`),
    icon,
    ...(keys.get(to) && { keys: `g ${keys.get(to)}` }),
    run: () => void navigate({ to }),
  })
  const places = visibleGroups([...PLACES, ...SETTINGS], may).flatMap((group) => group.places)
  return {
    name: 'pages',
    entries: [
      ...[...places, ...(user.is_system_admin ? [ADMIN_PLACE] : [])].map(page),
      {
        id: '/account',
        name: t('account.settings'),
        icon: UserCog,
        run: () => void navigate({ to: '/account' }),
      },
    ],
  }
}

function useChats(query: string): EntryGroup {
  const { organization, may } = useHere()
  const navigate = useNavigate()
  const isEnabled = query.length >= SEARCH_FROM && may('chats:read')
  const { data, isFetching } = useQuery({
    ...read('GET /api/chat/search', { org_id: organization.id, q: query, limit: 20 }),
    enabled: isEnabled,
    placeholderData: (before) => before,
  })
  const titles = new Map(data?.data.map(({ chat_id, title }) => [chat_id, title]))
  return {
    name: 'chats',
    isPending: isEnabled && isFetching,
    entries: isEnabled
      ? [...titles].map(([id, name]) => ({
          id,
          name,
          icon: MessageSquare,
          run: () => void navigate({ to: '/chats/$chatId', params: { chatId: id } }),
        }))
      : [],
  }
}

function useRecords(query: string): EntryGroup[] {
  const { organization, may } = useHere()
  const navigate = useNavigate()
  const org_id = organization.id
  const isSearched = query.length >= SEARCH_FROM
  const list = { org_id, q: query, limit: MATCHES_MAX }
  const placeholderData = <Data>(before: Data | undefined) => before
  const agents = useQuery({
    ...read('GET /api/agents/list', list),
    enabled: isSearched && may('agent:read'),
    placeholderData,
  })
  const bases = useQuery({
    ...read('GET /api/kb/list', list),
    enabled: isSearched && may('kb:read'),
    placeholderData,
  })
  const tools = useQuery({
    ...read('GET /api/tools/list_all', list),
    enabled: isSearched && may('tool:read'),
    placeholderData,
  })
  const deployments = useQuery({
    ...read('GET /api/agent_deploy/list', list),
    enabled: isSearched && may('agent:read'),
    placeholderData,
  })
  const people = useQuery({
    ...read('GET /api/users/list', { org_id, q: query, offset: 0, limit: PER_GROUP_MAX }),
    enabled: isSearched && may('users:read'),
    placeholderData,
  })
  const groupOf = (
    name: EntryGroup['name'],
    { data, isFetching }: { data?: { data: Named[] } | undefined; isFetching: boolean },
    icon: LucideIcon,
    open: (id: string) => void,
  ): EntryGroup => ({
    name,
    isPending: isFetching,
    entries: isSearched
      ? (data?.data ?? []).map((record) => ({
          id: record.id,
          name: record.name,
          icon,
          run: () => open(record.id),
        }))
      : [],
  })
  return [
    groupOf(
      'agents',
      agents,
      Bot,
      (agentId) => void navigate({ to: '/agents/$agentId', params: { agentId } }),
    ),
    groupOf(
      'knowledge',
      bases,
      BookOpen,
      (kbId) => void navigate({ to: '/knowledge/$kbId', params: { kbId } }),
    ),
    groupOf('tools', tools, Wrench, (toolId) => void navigate({ to: '/tools/$toolId', params: { toolId } })),
    groupOf(
      'deployments',
      deployments,
      Rocket,
      (deploymentId) => void navigate({ to: '/deployments/$deploymentId', params: { deploymentId } }),
    ),
    {
      name: 'people',
      isPending: people.isFetching,
      entries: isSearched
        ? (people.data?.users ?? []).map(({ id, invite_id, full_name, email }) => ({
            id: invite_id ?? id ?? email,
            name: full_name || email,
            note: full_name ? email : undefined,
            icon: User,
            run: () => void navigate({ to: '/members', search: { q: email } }),
          }))
        : [],
    },
  ]
}

type Named = Pick<Deployment, 'id' | 'name'>

/**
 * Returns the entries that contain all words of the query, best first: names that start with the query, then names
 * with a word that does, then others. The server has already searched the chats, by their messages too.
 */
function bestOf(entries: Entry[], query: string, isSearched: boolean): Entry[] {
  if (query === '') return entries
  if (isSearched) return entries.slice(0, PER_GROUP_MAX)
  const sought = plain(query)
  const words = sought.split(/\s+/)
  const rankOf = ({ name, note = '' }: Entry): number => {
    const text = plain(`${name} ${note}`)
    if (!words.every((word) => text.includes(word))) return 0
    if (text.startsWith(sought)) return 3
    return text.includes(` ${words[0]}`) ? 2 : 1
  }
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry) }))
    .filter(({ rank }) => rank > 0)
    .sort((one, other) => other.rank - one.rank)
    .slice(0, PER_GROUP_MAX)
    .map(({ entry }) => entry)
}

/** Returns text without case and accents, so that `uber` finds "Über". */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
