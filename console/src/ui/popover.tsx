import { lazy } from 'react'
import { loadChunk } from './chunks.ts'
import { LatePanel, type Trigger } from './late-panel.tsx'
import type { PopoverPanelProps } from './popover-panel.tsx'

const load = () => import('./popover-panel.tsx')
const PopoverPanel = lazy(() => loadChunk(load))

/** A panel next to the button that opens it. */
export const Popover = ({ trigger, ...panel }: PopoverPanelProps & { trigger: Trigger }) => (
  <LatePanel kind="dialog" trigger={trigger} load={load}>
    <PopoverPanel trigger={trigger} {...panel} />
  </LatePanel>
)
