/** Line icons on one 24-unit grid, in the color of the text around them. They repeat words, so they stay unspoken. */
const paths = {
  bank: 'M4 10h16M12 4 4 8.5V10h16V8.5L12 4ZM6.5 10v7m3.7-7v7m3.6-7v7m3.7-7v7M4 20h16M4.5 17h15',
  card: 'M3 6.5h18v11H3zM3 10h18M6.5 14.5h4',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  clock: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17ZM12 7.5V12l3 2',
  cross: 'm6.5 6.5 11 11m0-11-11 11',
  info: 'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17ZM12 11v5m0-8.2v.2',
  left: 'M19 12H5m6-6-6 6 6 6',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  question:
    'M12 3.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17ZM9.6 9.6a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1.1.8-1.1 1.6m0 2.6v.2',
  test: 'M9.5 3.5h5m-4 0v6L5.2 18a1.7 1.7 0 0 0 1.5 2.5h10.6a1.7 1.7 0 0 0 1.5-2.5l-5.3-8.5v-6M8 15h8',
  warning: 'M12 4 2.8 19.5h18.4L12 4Zm0 6v4.5m0 2.6v.2',
} as const

export type IconName = keyof typeof paths

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="1.75"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={paths[name]} />
    </svg>
  )
}
