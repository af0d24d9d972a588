/** What a user can set, and what the kernel draws by as well. Written by tools/constants_js.py. */

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
/** Settings that the kernel reads other data for. @type {(keyof Settings)[]} */
export const READ = ["embedding", "axes", "gene_sets", "color", "layer", "blend"];
/** Settings of what lies over or under the points. @type {(keyof Settings)[]} */
export const OVERLAYS = ["labels", "contours", "difference", "tissue", "tissue_opacity"];
/** Settings that change colors and sizes, and move nothing. @type {(keyof Settings)[]} */
export const TUNED = ["cmap", "vmin", "vmax", "limits", "center", "scale", "zero", "point_size", "opacity", "hidden", "filtered", "density", "statistic"];
/** Settings that a saved page can change. @type {(keyof Settings)[]} */
export const WITHOUT_KERNEL = ["cmap", "palette", "vmin", "vmax", "limits", "center", "scale", "zero", "point_size", "opacity", "view", "height", "panel_width", "wheel_zoom", "views", "filtered", "density", "tissue_opacity", "legend", "background"];
/** What tests begin with. @type {Settings} */
export const DEFAULTS = {"embedding": null, "axes": [0, 1], "gene_sets": [], "color": null, "layer": null, "cmap": "viridis", "palette": null, "vmin": null, "vmax": null, "limits": "hold", "center": null, "scale": "linear", "zero": "color", "blend": "mean", "point_size": null, "opacity": null, "tool": "pan", "pinned_genes": [], "view": null, "height": 600, "panel_width": 236, "open_panels": [], "wheel_zoom": true, "hidden": [], "filters": [], "table": null, "study_design": null, "panels": [], "views": [], "filtered": "hide", "density": "eq_hist", "labels": null, "contours": null, "difference": null, "tissue": null, "tissue_opacity": 1.0, "statistic": "auto", "legend": true, background: null};
/** Genes that are pinned at once. */
export const MOST_PINNED = 100;
/** Genes that can have a hue each. */
export const MOST_BLENDED = 3;
/** Statistics that points can show too. */
export const STATISTICS_OF_POINTS = /** @type {const} */ (["auto", "mean", "max"]);
/** Panels side by side at once. */
export const MOST_PANELS = 12;
/** What pictures that are saved are drawn on. */
export const PAPERS = {white: {background: [255, 255, 255], foreground: [31, 35, 40], dark: false}, dark: {background: [17, 17, 17], foreground: [226, 229, 233], dark: true}};
/** Points without a coloring. */
export const PLAIN = {light: [70, 110, 160], dark: [120, 165, 215]};
/** Points without a value. */
export const MISSING_GREY = {light: [205, 205, 205], dark: [72, 72, 72]};
/** Points that the filters leave out, where they are drawn. */
export const LEFT_OUT_GREY = {light: [228, 228, 228], dark: [40, 40, 40]};
/** Points whose number is 0, where that is no color. */
export const ZERO_GREY = {light: [217, 217, 217], dark: [56, 56, 56]};
/** Rows of the key beside a picture, before it counts the others. */
export const MOST_KEY_ROWS = 60;
/** Sizes and places in a picture with its key. */
export const KEY_PX = {"PAD": 16, "TOP": 40, "TITLE_Y": 26, "LINE": 16, "ROW": 18, "SWATCH": 10, "BAR": 12, "MARGIN": 12, "SPACE": 7, "GAP": 24, "LEAST_TITLE": 60, "LEAST_COLUMN": 132, "WIDEST_COLUMN": 340, "WIDEST_OF_TWO": 190, "TWO_COLUMNS_FROM": 480, "TITLE_PX": 14, "HEADING_PX": 13, "TEXT_PX": 12, "SMALL_PX": 11};
/** Columns that the tooltip shows where none were chosen, apart from the one that colors. */
export const MOST_FIELDS = 5;
/** So many cells under the pointer are too many to name one. */
export const MANY = 30;
/** Categories that are named of many cells, the largest of them. */
export const MOST_IN_CROWD = 4;
/** Name of a category without letters. */
export const EMPTY_LABEL = "(empty)";
/** Letters of a label in a sentence. */
export const LONGEST_LABEL = 60;
/** What stands before a column whose logarithm is an axis. */
export const LOG = "log1p:";
/** Rows of the table that one request may name. */
export const MAX_ROWS = 10000;
/** How far a code may move a number on the colormap, which has 256 colors. */
export const FINEST_SHARE = 0.00392156862745098;
/** Steps of positions from which they would show as a lattice. */
export const COARSE_PX = 0.5;
/** How many times as wide as a view its finer points are. */
export const DETAIL = 1.5;
/** Points up to so wide are squares, wider ones discs. */
export const SQUARE_PX = 3;
/** Shares of their cells that contours enclose. */
export const ENCLOSED = "50 % and 90 %";
/** Share of the page over the points beneath the map of a difference. */
export const VEIL = 0.72;
/** Bins of an open column of numbers. */
export const MOST_BINS = 64;
/** Rows of a column that are counted apart from all. */
export const MOST_COUNTED = 1024;
/** Sets that have contours at once. */
export const MOST_SETS_ON_PLOT = 8;
/** Numbers of a compared gene, in the order in which they travel. */
export const COMPARED = /** @type {const} */ (["mean_a", "mean_b", "share_a", "share_b", "log2fc", "statistic", "log10_p", "log10_p_adj", "auc"]);
/** Share of its color that a dimmed point keeps. */
export const DIMMED = 0.16;
/** What is dimmed fades into a grey, or it could not be seen: this share of the way from page to ink. */
export const GREYED = {light: 0.07, dark: 0.11};
/** How much of the ink quiet text has; the rest is the page. */
export const QUIET_INK = 0.7;
/** How much of it faint lines have. */
export const FAINT_INK = 0.5;
/** The least opacity, of 255, of a pixel that is dimmed in an image. */
export const FAINTEST = 28;
/** Relative luminance from which a color has a contrast of 2 with a dark page. */
export const SEEN_IN_THE_DARK = 0.0612;
/** Around all points on each side, as a share of what they take. */
export const MARGIN = 0.04;
/** So many of the first points, which come ahead of the rest, tell how crowded a view is and its limits. */
export const BASIS = 65536;
/** In views of up to so many times as many cells as are few something is left of how few look. */
export const SOLID_UP_TO = 8;
/** No spot of a section is drawn wider. */
export const WIDEST_SPOT_PX = 100;
/** Cells that stand for the color of a crowded place. */
export const BEHIND = 36;
/** How many times as wide the area is on which the number of a tile of few leans. */
export const WIDER = 12;
/** Quantiles of what is shown at the ends of the colors. @type {[number, number]} */
export const ENDS = [0.005, 0.995];
/** Share of the extent below which no tile tells how crowded it is. */
export const FINEST = 0.00390625;
/** From the mean to the highest number of a pixel: each step means new numbers for all points. */
export const STEPS = 8;
/** What a point covers, beside its side: less, for more of those that share a pixel come from tiles of many. */
export const COVER = 0.8;
/** The power of the layers of points by which these fade. */
export const FADING = 0.7;
/** No point is paler where opacity follows density. */
export const PALEST = 0.157;
/** How many times over all points together may cover a view before they are drawn smaller. */
export const FILLING = 0.75;
