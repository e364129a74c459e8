import { storedSwitch } from '../ui/stored-switch.ts'

/** Whether the sidebar shows only icons on wide screens. */
export const rail = storedSwitch('parley.rail')
