import type { Deployment } from '@parley/client/schemas'
import { Code, Frame, type LucideIcon, MessageCircle } from 'lucide-react'
import type { Tone } from '../../ui/badge.tsx'

type Type = Deployment['deployment_type']

export const ICONS: Record<Type, LucideIcon> = { widget: MessageCircle, iframe: Frame, api: Code }

export const TYPES = Object.keys(ICONS) as Type[]

export const TONES: Record<Deployment['status'], Tone> = { active: 'success', paused: 'warning' }
