import type { LucideIcon } from 'lucide-react'
import { lazy, type ReactNode } from 'react'
import { loadChunk } from './chunks.ts'
import { classNames } from './class-names.ts'
import { LatePanel, type Trigger } from './late-panel.tsx'
import { useMenuParts } from './menu-parts.ts'

const load = () => import('./menu-panel.tsx')
const MenuPanel = lazy(() => loadChunk(load))

interface MenuProps {
  trigger: Trigger
  children: ReactNode
  align?: 'start' | 'end'
  /** Whether the menu is open when it appears. */
  defaultOpen?: boolean
}

export const Menu = ({ trigger, children, align = 'end', defaultOpen = false }: MenuProps) => (
  <LatePanel kind="menu" trigger={trigger} load={load} defaultOpen={defaultOpen}>
    <MenuPanel trigger={trigger} align={align}>
      {children}
    </MenuPanel>
  </LatePanel>
)

interface MenuItemProps {
  icon?: LucideIcon
  onSelect: () => void
  danger?: boolean
  disabled?: boolean
  children: ReactNode
}

export function MenuItem({
  icon: Icon,
  onSelect,
  danger = false,
  disabled = false,
  children,
}: MenuItemProps) {
  const { Item } = useMenuParts()
  return (
    <Item
      onSelect={onSelect}
      disabled={disabled}
      className={classNames(
        'flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none select-none touch:min-h-10',
        'data-highlighted:bg-hover data-disabled:cursor-not-allowed data-disabled:opacity-50',
        danger && 'text-danger',
      )}
    >
      {Icon && <Icon aria-hidden size={16} className="shrink-0" />}
      {children}
    </Item>
  )
}

export function MenuLine() {
  const { Separator } = useMenuParts()
  return <Separator className="my-1 h-px bg-line" />
}

export function MenuLabel({ children }: { children: ReactNode }) {
  const { Label } = useMenuParts()
  return <Label className="px-2.5 py-1 text-xs font-medium text-muted">{children}</Label>
}
