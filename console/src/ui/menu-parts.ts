import type { DropdownMenu } from 'radix-ui'
import { createContext, use } from 'react'

type Parts = Pick<typeof DropdownMenu, 'Item' | 'Separator' | 'Label'>

/** The components of an open menu. They load with the menu, not with the page that declares its items. */
export const MenuParts = createContext<Parts | null>(null)

export function useMenuParts(): Parts {
  const parts = use(MenuParts)
  if (!parts) throw new Error('useMenuParts works only within a menu')
  return parts
}
