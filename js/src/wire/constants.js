/** Settings of a user, and constants that the kernel also draws with. Written by tools/constants_js.py. */

/** @typedef {{id: number, embedding?: string | string[], color?: string | string[] | null, layer?: string, cmap?: string | {name: string, stops: string[]}, vmin?: number | string, vmax?: number | string, within?: any}} Look what a panel shows otherwise than the widget */

/** @typedef {"in" | "range" | "query" | "polygon" | "set" | "rows" | "and" | "or" | "not" | "minus"} RuleForm key of a form of a rule in js/src/words/rule_forms.js */

/** @typedef {"in" | "range" | "query" | "set"} FilterForm key of those that filter */

/** @typedef {"auto" | "mean" | "max" | "min" | "sum" | "std" | "var" | "count"} Statistic a statistic that has a name */

/** @typedef {"columns" | "genes" | "sets" | "annotations" | "table" | "compare" | "study"} PanelName */

/**
 * @typedef {object} Settings
 * @property {string | string[] | null} embedding name of the embedding, or two numeric obs columns or genes as axes: ('n_genes', 'CD3E')
 * @property {number[]} axes two axes of the embedding, as x and y
 * @property {{name: string, genes: string[]}[]} gene_sets gene sets of this widget: {name: genes}, see `w.genes.sets`
 * @property {string | string[] | null} color obs column, gene, gene set or list of genes that colors the points; None = no color
 * @property {string | null} layer layer that genes are read from; None = X
 * @property {string | {name: string, stops: string[]}} cmap colormap of numbers: a name, also of matplotlib, or a list of colors
 * @property {any} palette colors of categories: a name, a list, {category: color} or None
 * @property {number | string | null} vmin lower color limit: number, percentile like 'p1', None = smallest value
 * @property {number | string | null} vmax upper color limit: number, percentile like 'p99', None = largest value
 * @property {"hold" | "follow"} limits default color limits of many cells: 'hold' = those of the whole plot, 'follow' = those of the view
 * @property {number | null} center value at the center of the colormap, with limits symmetric around it, or None
 * @property {"linear" | "log"} scale scale of the colormap: 'linear' or 'log'
 * @property {"color" | "grey"} zero cells with the value 0: 'color' = colored as others, 'grey' = pale, behind all others
 * @property {"mean" | "colors"} blend color of several genes: their 'mean', or, of two or three, 'colors', a hue for each
 * @property {number | null} point_size diameter of a point, CSS px; None = by density
 * @property {number | null} opacity opacity of a point, 0 to 1; None = by density, lower if more cells share a pixel (categories)
 * @property {"pan" | "lasso" | "rectangle"} tool action of dragging: 'pan', 'lasso' or 'rectangle'
 * @property {string[]} pinned_genes genes pinned in the Genes panel, as `w.genes.pin` takes them
 * @property {number[] | null} view visible range: x left, x right, y bottom, y top in data units; None = everything
 * @property {number} height height of the widget, CSS px
 * @property {number} panel_width width of the side panel, CSS px
 * @property {string[]} open_panels names of the panels that are open: 'columns', 'genes', 'sets', 'annotations', 'table', 'compare', 'study'
 * @property {boolean} wheel_zoom whether the wheel zooms; with Ctrl or Cmd it always does
 * @property {string[]} hidden labels of hidden categories
 * @property {any} filters filters as rules: by obs columns, genes, and one query, see `w.filters`
 * @property {{columns?: string[], sort?: string, descending?: boolean, of?: "filter" | "selection"} | null} table columns, order and cells of the table, see `w.table`; None = defaults
 * @property {{sample: string, condition: string, covariates: string[], pair: string | null, excluded: string[]} | null} study_design columns of samples and conditions of a study, see `w.study`; None = no study
 * @property {Look[]} panels panels side by side, with the settings that each overrides
 * @property {{embedding: string | string[], view: number[]}[]} views views of panels in other embeddings; an embedding without one shows everything
 * @property {"hide" | "grey"} filtered filtered-out cells: 'hide' does not draw them, 'grey' draws them behind all others
 * @property {"linear" | "log" | "cbrt" | "eq_hist"} density from cells per pixel to opacity: 'linear', 'log', 'cbrt' or 'eq_hist'
 * @property {string | null} labels obs column whose categories are written on the plot, where their cells are densest
 * @property {string | boolean | string[] | null} contours obs column whose categories get contours around 50 % and 90 % of their cells; True = one for all cells; a list of names of sets = contours of these
 * @property {string[] | null} difference names of two sets: draw the log2 ratio of their densities
 * @property {string | null} tissue tissue image under a spatial embedding, 'library/resolution'; True = the best, None = none
 * @property {number} tissue_opacity opacity of the tissue image, 0 to 1
 * @property {string} statistic value of a pixel with several cells: 'mean', 'max', 'min', 'sum', 'std', 'var' or 'count'; 'auto' = mean, or max when zoomed in; or a datashader reduction of obs columns and genes
 * @property {boolean} legend whether saved pictures have a legend
 * @property {"white" | "dark" | "transparent" | null} background background of saved pictures: 'white', 'dark', 'transparent', None = as on the screen
 */
/** All settings that the front-end knows. @type {(keyof Settings)[]} */
export const SYNCED = ["embedding", "axes", "gene_sets", "color", "layer", "cmap", "palette", "vmin", "vmax", "limits", "center", "scale", "zero", "blend", "point_size", "opacity", "tool", "pinned_genes", "view", "height", "panel_width", "open_panels", "wheel_zoom", "hidden", "filters", "table", "study_design", "panels", "views", "filtered", "density", "labels", "contours", "difference", "tissue", "tissue_opacity", "statistic", "legend", "background"];
/** Settings whose change reads other data in the kernel. @type {(keyof Settings)[]} */
export const READ = ["embedding", "axes", "gene_sets", "color", "layer", "blend"];
/** Settings of overlays above or below the points. @type {(keyof Settings)[]} */
export const OVERLAYS = ["labels", "contours", "difference", "tissue", "tissue_opacity"];
/** Settings that change colors and sizes, but no positions. @type {(keyof Settings)[]} */
export const TUNED = ["cmap", "vmin", "vmax", "limits", "center", "scale", "zero", "point_size", "opacity", "hidden", "filtered", "density", "statistic"];
/** Settings that a saved page can change. @type {(keyof Settings)[]} */
export const WITHOUT_KERNEL = ["cmap", "palette", "vmin", "vmax", "limits", "center", "scale", "zero", "point_size", "opacity", "view", "height", "panel_width", "wheel_zoom", "views", "filtered", "density", "tissue_opacity", "legend", "background"];
/** Values that tests start from. @type {Settings} */
export const DEFAULTS = {"embedding": null, "axes": [0, 1], "gene_sets": [], "color": null, "layer": null, "cmap": "viridis", "palette": null, "vmin": null, "vmax": null, "limits": "hold", "center": null, "scale": "linear", "zero": "color", "blend": "mean", "point_size": null, "opacity": null, "tool": "pan", "pinned_genes": [], "view": null, "height": 600, "panel_width": 236, "open_panels": [], "wheel_zoom": true, "hidden": [], "filters": [], "table": null, "study_design": null, "panels": [], "views": [], "filtered": "hide", "density": "eq_hist", "labels": null, "contours": null, "difference": null, "tissue": null, "tissue_opacity": 1.0, "statistic": "auto", "legend": true, background: null};
/** Maximum number of pinned genes. */
export const MOST_PINNED = 100;
/** Maximum number of genes with one hue each. */
export const MOST_BLENDED = 3;
/** Statistics that points can also show. */
export const STATISTICS_OF_POINTS = /** @type {const} */ (["auto", "mean", "max"]);
/** Maximum number of panels side by side. */
export const MOST_PANELS = 12;
/** Backgrounds of saved pictures. */
export const PAPERS = {white: {background: [255, 255, 255], foreground: [31, 35, 40], dark: false}, dark: {background: [17, 17, 17], foreground: [226, 229, 233], dark: true}};
/** Points without a coloring. */
export const PLAIN = {light: [70, 110, 160], dark: [120, 165, 215]};
/** Points without a value. */
export const MISSING_GREY = {light: [205, 205, 205], dark: [72, 72, 72]};
/** Filtered-out points, where they are drawn. */
export const LEFT_OUT_GREY = {light: [228, 228, 228], dark: [40, 40, 40]};
/** Points whose number is 0, where zeros are grey. */
export const ZERO_GREY = {light: [217, 217, 217], dark: [56, 56, 56]};
/** Maximum number of rows of the key next to a picture; it counts the others. */
export const MOST_KEY_ROWS = 60;
/** Sizes and positions in a picture with its key. */
export const KEY_PX = {"PAD": 16, "TOP": 40, "TITLE_Y": 26, "LINE": 16, "ROW": 18, "SWATCH": 10, "BAR": 12, "MARGIN": 12, "SPACE": 7, "GAP": 24, "LEAST_TITLE": 60, "LEAST_COLUMN": 132, "WIDEST_COLUMN": 340, "WIDEST_OF_TWO": 190, "TWO_COLUMNS_FROM": 480, "TITLE_PX": 14, "HEADING_PX": 13, "TEXT_PX": 12, "SMALL_PX": 11};
/** Columns in the tooltip by default, in addition to the color. */
export const MOST_FIELDS = 5;
/** Number of cells under the pointer from which the tooltip summarizes them. */
export const MANY = 30;
/** Maximum number of categories named for many cells, largest first. */
export const MOST_IN_CROWD = 4;
/** Label of a category whose name is empty. */
export const EMPTY_LABEL = "(empty)";
/** Maximum length of a label in a sentence. */
export const LONGEST_LABEL = 60;
/** Prefix of a column whose logarithm is an axis. */
export const LOG = "log1p:";
/** Maximum number of rows of the table in one request. */
export const MAX_ROWS = 10000;
/** Maximum error of a code on the colormap, of 256 colors. */
export const FINEST_SHARE = 0.00392156862745098;
/** Size of a step of positions from which a lattice would show. */
export const COARSE_PX = 0.5;
/** Width of the area of finer points, in widths of the view. */
export const DETAIL = 1.5;
/** Width up to which points are squares; wider ones are discs. */
export const SQUARE_PX = 3;
/** Shares of the cells that contours enclose. */
export const ENCLOSED = "50 % and 90 %";
/** Opacity of the veil over the points below the map of a difference. */
export const VEIL = 0.72;
/** Maximum number of bins of an open column of numbers. */
export const MOST_BINS = 64;
/** Rows of a column that are counted apart from all. */
export const MOST_COUNTED = 1024;
/** Maximum number of sets with contours. */
export const MOST_SETS_ON_PLOT = 8;
/** Numbers of a compared gene, in the order of messages. */
export const COMPARED = /** @type {const} */ (["mean_a", "mean_b", "share_a", "share_b", "log2fc", "statistic", "log10_p", "log10_p_adj", "auc"]);
/** Share of the color of a dimmed point. */
export const DIMMED = 0.16;
/** Grey that dimmed points fade to, not to the page, to stay visible: share of the way from page to ink. */
export const GREYED = {light: 0.07, dark: 0.11};
/** Share of ink in quiet text; the rest is the page. */
export const QUIET_INK = 0.7;
/** Share of ink in faint lines. */
export const FAINT_INK = 0.5;
/** Minimum opacity, of 255, of a dimmed pixel in an image. */
export const FAINTEST = 28;
/** Relative luminance from which a color has a contrast of 2 with a dark page. */
export const SEEN_IN_THE_DARK = 0.0612;
/** Margin around all points on each side, as a share of their extent. */
export const MARGIN = 0.04;
/** Number of first points from which the crowding of a view and its limits are estimated. */
export const BASIS = 65536;
/** Multiple of the number of few cells up to which a view keeps some of their look. */
export const SOLID_UP_TO = 8;
/** Maximum width of a spot of a section. */
export const WIDEST_SPOT_PX = 100;
/** Number of cells that a color represents at least. */
export const BEHIND = 36;
/** Width of the tile by which a tile of few points is smoothed, in tile widths. */
export const WIDER = 12;
/** Quantiles of the displayed numbers at the ends of the colors. @type {[number, number]} */
export const ENDS = [0.005, 0.995];
/** Smallest tile that measures crowding, as a share of the extent. */
export const FINEST = 0.00390625;
/** Steps from the mean to the highest number of a pixel; each recomputes the numbers of all points. */
export const STEPS = 8;
/** Side of a tile, in diameters of a point: below 1, since most points that share a pixel are in crowded tiles. */
export const COVER = 0.8;
/** Power of the layers of points in their opacity. */
export const FADING = 0.7;
/** Minimum opacity of a point if opacity follows density. */
export const PALEST = 0.157;
/** Share of a view that all points together may cover before they are drawn smaller. */
export const FILLING = 0.75;
