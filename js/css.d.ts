/** esbuild's text loader: importing a stylesheet gives its text. */
declare module "*.css" {
  const text: string;
  export default text;
}
