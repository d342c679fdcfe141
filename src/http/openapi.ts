export const openApiDocument = (_origin: string): unknown => ({})
