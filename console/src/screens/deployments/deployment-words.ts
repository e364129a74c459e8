import type { Deployment } from '@parley/client/schemas'
import { Code, Frame, type LucideIcon, MessageCircle } from 'lucide-react'
import type { Tone } from '../../ui/badge.tsx'

type Type = Deployment['deployment_type']

/** The ways in which an agent can be reached from outside. */
export const TYPES: Record<Type, { name: string; note: string; icon: LucideIcon }> = {
  widget: { name: 'Button on a website', note: 'Opens a chat over the page', icon: MessageCircle },
  iframe: { name: 'Part of a page', note: 'The chat within a page of yours', icon: Frame },
  api: { name: 'API', note: 'For programs, with a key', icon: Code },
}

export const TYPE_NAMES = Object.keys(TYPES) as Type[]

export const STATES: Record<Deployment['status'], { word: string; tone: Tone }> = {
  active: { word: 'Active', tone: 'success' },
  paused: { word: 'Paused', tone: 'warning' },
}
