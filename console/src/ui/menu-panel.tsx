import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { MenuParts } from './menu-parts.ts'

interface MenuPanelProps {
  trigger: ReactNode
  align: 'start' | 'end'
  children: ReactNode
}

/** An open menu. Its items take their behavior from `MenuParts`. */
export default function MenuPanel({ trigger, align, children }: MenuPanelProps) {
  return (
    <DropdownMenu.Root defaultOpen>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className="appear z-50 max-h-[min(26rem,var(--radix-dropdown-menu-content-available-height))] min-w-44 overflow-y-auto rounded-xl border border-line bg-raised p-1 shadow-lg"
        >
          <MenuParts value={DropdownMenu}>{children}</MenuParts>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
