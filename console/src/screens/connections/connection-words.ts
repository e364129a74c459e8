import type { McpInstance } from '@parley/client/schemas'
import type { Tone } from '../../ui/badge.tsx'
import type { AuthType } from './use-connect.ts'

export const STATES: Record<McpInstance['status'], { word: string; tone: Tone }> = {
  active: { word: 'Active', tone: 'success' },
  pending: { word: 'Not finished', tone: 'neutral' },
  inactive: { word: 'Reconnect', tone: 'warning' },
}

/** How one connects, in a few words. */
export const WAYS: Record<NonNullable<AuthType>, string> = {
  none: 'No account needed',
  oauth: 'Sign in',
  api_key: 'With a key',
  composio: 'Sign in, through Composio',
}

export const nameOf = ({ name, server_name }: McpInstance): string => name ?? server_name
