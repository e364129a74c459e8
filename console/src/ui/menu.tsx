import type { LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function Menu({
  trigger,
  children,
  align = 'end',
}: {
  trigger: ReactNode
  children: ReactNode
  align?: 'start' | 'end'
}) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="appear z-50 max-h-[min(26rem,var(--radix-dropdown-menu-content-available-height))] min-w-44 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-lg"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

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
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      disabled={disabled}
      className={classNames(
        'flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none select-none',
        'data-highlighted:bg-hover data-disabled:cursor-not-allowed data-disabled:opacity-50',
        danger && 'text-danger',
      )}
    >
      {Icon && <Icon aria-hidden size={16} className="shrink-0" />}
      {children}
    </DropdownMenu.Item>
  )
}

export const MenuLine = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <DropdownMenu.Label className="px-2.5 py-1 text-xs font-medium text-muted">{children}</DropdownMenu.Label>
)
