import type { McpInstance } from '@parley/client/schemas'
import type { Tone } from '../../ui/badge.tsx'

export const TONES: Record<McpInstance['status'], Tone> = {
  active: 'success',
  pending: 'neutral',
  inactive: 'warning',
}

export const nameOf = ({ name, server_name }: McpInstance): string => name ?? server_name
